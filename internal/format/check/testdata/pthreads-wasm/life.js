var wasmMemory = new WebAssembly.Memory({
  "initial": 256, "maximum": 512, "shared":true });
const ready = fetch("life.wasm");
