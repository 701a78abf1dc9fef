import React, { useEffect, useState } from 'react';

const ROUND = 2000;

export default function App() {
  const [score, setScore] = useState(0);
  const [best, setBest] = useState(() => Number(localStorage.getItem('best') ?? 0));
  const [playing, setPlaying] = useState(false);
  const [mole, setMole] = useState(0);

  useEffect(() => {
    if (!playing) return undefined;
    const end = setTimeout(() => setPlaying(false), ROUND);
    return () => clearTimeout(end);
  }, [playing]);

  useEffect(() => {
    if (playing || score === 0) return;
    if (score > best) {
      setBest(score);
      localStorage.setItem('best', String(score));
    }
  }, [playing]);

  const whack = (i) => {
    if (!playing || i !== mole) return;
    setScore((n) => n + 1);
    setMole((n) => (n + 1) % 9);
  };

  return (
    <main>
      <h1>Whack</h1>
      <p>
        Score <b>{score}</b> Best <i>{best}</i>
      </p>
      <button id="start" onClick={() => { setScore(0); setPlaying(true); }}>
        Start
      </button>
      <div>
        {[...Array(9).keys()].map((i) => (
          <button key={i} className="hole" onClick={() => whack(i)}>
            {playing && i === mole ? '🐹' : '·'}
          </button>
        ))}
      </div>
    </main>
  );
}
