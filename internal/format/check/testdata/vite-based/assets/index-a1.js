document.getElementById("app").textContent="Tide";
