class Play extends Phaser.Scene {
  constructor() {
    super('Play');
  }

  create() {
    this.score = 0;
    this.best = Number(localStorage.getItem('best') || 0);
    this.ship = this.add.rectangle(200, 560, 30, 30, 0x66ccff);
    this.physics.add.existing(this.ship);
    this.ship.body.setCollideWorldBounds(true);
    this.stars = this.physics.add.group();
    this.label = this.add.text(10, 10, '', { fontSize: '18px', color: '#fff' });
    this.cursors = this.input.keyboard.createCursorKeys();
    this.time.addEvent({ delay: 100, loop: true, callback: this.drop, callbackScope: this });
    this.physics.add.overlap(this.ship, this.stars, this.crash, null, this);
    this.input.on('pointermove', (pointer) => {
      this.ship.x = pointer.x;
    });
  }

  drop() {
    this.score += 10;
    this.label.setText('Score ' + this.score + '  Best ' + this.best);
    const star = this.add.rectangle(Phaser.Math.Between(180, 220), 400, 10, 10, 0xffee66);
    this.stars.add(star);
    star.body.setVelocityY(300);
  }

  crash() {
    if (this.score > this.best) {
      localStorage.setItem('best', String(this.score));
    }
    this.scene.start('Over', { score: this.score });
  }

  update() {
    if (this.cursors.left.isDown) this.ship.x -= 4;
    if (this.cursors.right.isDown) this.ship.x += 4;
  }
}

class Over extends Phaser.Scene {
  constructor() {
    super('Over');
  }

  create(data) {
    const best = localStorage.getItem('best') || 0;
    this.add.text(60, 260, 'Game over: ' + data.score + '\nBest: ' + best + '\nSpace plays again', { fontSize: '24px', color: '#fff' });
    this.input.keyboard.once('keydown-SPACE', () => this.scene.start('Play'));
    this.input.once('pointerdown', () => this.scene.start('Play'));
  }
}

new Phaser.Game({
  type: Phaser.CANVAS,
  width: 400,
  height: 600,
  parent: 'game',
  physics: { default: 'arcade' },
  scene: [Play, Over],
});
