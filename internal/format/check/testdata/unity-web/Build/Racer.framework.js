var wasmMemory=new WebAssembly.Memory({"initial":512,"maximum":32768});var x=typeof SharedArrayBuffer!=="undefined"?new SharedArrayBuffer(1):0;
