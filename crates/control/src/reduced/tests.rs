//! What a reduced model must do.
