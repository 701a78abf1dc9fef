class Engine { constructor(c) { this.c = c } startGame() {} }
