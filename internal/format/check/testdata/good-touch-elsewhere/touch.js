stick.onpointerdown = e => go();
