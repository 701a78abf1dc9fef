addEventListener("keydown", e => { if (e.code == "ArrowUp") go(); });
