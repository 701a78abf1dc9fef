function go() {
  if (x) { return "a}" / 2; }
  for (const y of z) {
    y.move(1, 2