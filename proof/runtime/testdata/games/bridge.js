// Stands where Godot's engine for the web would. It runs what the program GAME gives to JavaScriptBridge.eval, in its order and in the page's
// own scope, as the engine does, with what the program would have put into the texts.
class Engine {
  constructor(config) {
    this.config = config;
  }

  async startGame() {
    const values = { '%d': '120', '%s': JSON.stringify({ level: 2, best: 120 }) };
    for (const [, code] of GAME.matchAll(/JavaScriptBridge\.eval\("((?:[^"\\]|\\.)*)"/g)) {
      (0, eval)(code.replace(/%[ds]/g, (at) => values[at]));
    }
    window.over = true;
  }
}
