let x = 0, img, song;
function preload() {
  img = loadImage('cat.png');
  song = loadSound("song.mp3");
}
function setup() { createCanvas(400, 400); }
function draw() {
  background(220);
  if (keyIsDown(LEFT_ARROW)) x--;
  image(img, x / 2, 10 / 2);
}
