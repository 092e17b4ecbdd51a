// Prints what the Khronos validator finds in .glb files, for each "ERRORS WARNINGS INFOS HINTS" and then its messages.
const validator = require('gltf-validator');
(async () => {
  for (const file of process.argv.slice(2)) {
    const { issues } = await validator.validateBytes(new Uint8Array(require('fs').readFileSync(file)));
    console.log(issues.numErrors, issues.numWarnings, issues.numInfos, issues.numHints);
    for (const m of issues.messages) console.log(m.code, m.message, m.pointer);
  }
})();
