addEventListener("keydown", e => e.code === "ArrowUp");
