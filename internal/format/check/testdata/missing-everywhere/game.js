fetch("a1.json"); fetch("a2.json"); fetch("a3.json"); new Audio("a4.mp3");
