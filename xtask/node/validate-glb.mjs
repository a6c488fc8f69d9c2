// Runs the Khronos glTF validator on each file and prints one line of JSON
// per file: its counts by severity, and its messages. Exits with 1 when a file
// has errors or warnings, and with 2 when a file cannot be read.
//
//   node validate-glb.mjs FILE.glb…

import { readFile } from "node:fs/promises";
import process from "node:process";
import validator from "gltf-validator";

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: node validate-glb.mjs FILE.glb…");
  process.exit(2);
}

let exitCode = 0;
for (const file of files) {
  try {
    const report = await validator.validateBytes(new Uint8Array(await readFile(file)), {
      uri: file,
      format: "glb",
      maxIssues: 1000,
    });
    const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
    console.log(
      JSON.stringify({
        file,
        errors: numErrors,
        warnings: numWarnings,
        infos: numInfos,
        hints: numHints,
        messages: messages.map(({ code, message, severity, pointer }) => ({
          severity: ["error", "warning", "info", "hint"][severity],
          code,
          message,
          pointer,
        })),
      }),
    );
    if (numErrors + numWarnings > 0) exitCode = Math.max(exitCode, 1);
  } catch (error) {
    console.error(`${file}: ${error.message ?? error}`);
    exitCode = 2;
  }
}
process.exitCode = exitCode;
