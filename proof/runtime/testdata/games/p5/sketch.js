let ball, paddle, score, playing;
let best = 0;

function setup() {
  createCanvas(400, 400);
  best = getItem('best') || 0;
  restart();
}

function restart() {
  ball = { x: 200, y: 100, dx: 3, dy: 4 };
  paddle = 200;
  score = 0;
  playing = true;
}

function draw() {
  background(30);
  fill(255);
  text('Score ' + score + '   Best ' + best, 10, 20);
  if (!playing) {
    text('Game over, click to play again', 110, 200);
    return;
  }
  if (mouseX > 0) paddle = mouseX;
  rect(paddle - 40, 380, 80, 10);
  circle(ball.x, ball.y, 20);
  ball.x += ball.dx;
  ball.y += ball.dy;
  score++;
  if (ball.x < 10 || ball.x > 390) ball.dx *= -1;
  if (ball.y < 10) ball.dy *= -1;
  if (ball.y > 370 && ball.y < 380 && abs(ball.x - paddle) < 40) ball.dy *= -1;
  if (ball.y > 400) gameOver();
}

function gameOver() {
  playing = false;
  if (score > best) {
    best = score;
    storeItem('best', best);
  }
}

function mousePressed() {
  if (!playing) restart();
}
