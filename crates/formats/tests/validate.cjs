// Prints what the Khronos validator finds in a .glb file, as "ERRORS WARNINGS INFOS HINTS" and then its messages.
const validator = require('gltf-validator');
const bytes = new Uint8Array(require('fs').readFileSync(process.argv[2]));
validator.validateBytes(bytes).then(({ issues }) => {
  console.log(issues.numErrors, issues.numWarnings, issues.numInfos, issues.numHints);
  for (const m of issues.messages) console.log(m.code, m.message, m.pointer);
});
