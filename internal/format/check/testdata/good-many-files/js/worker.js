importScripts("lazy.js"); postMessage(1);
