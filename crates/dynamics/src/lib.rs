#![allow(non_snake_case)]
