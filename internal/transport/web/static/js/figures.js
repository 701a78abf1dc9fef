// Shows above a chart the number of the day that is pointed at, touched or reached with the arrow keys. The numbers are
// those of the table of all days, which serves readers without this module.
const days = [...document.querySelectorAll('.fig-numbers tbody tr')];

document.querySelectorAll('.fig-charts .fig-card').forEach((card, column) => {
  const svg = card.querySelector('.fig-chart svg');
  if (!svg || !days.length) return;
  const said = card.querySelector('output');
  const mark = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const width = svg.viewBox.baseVal.width / days.length;
  let at = days.length - 1;

  const show = (day) => {
    at = Math.max(0, Math.min(days.length - 1, day));
    const { cells } = days[at];
    said.textContent = cells[0].textContent + ': ' + cells[column + 1].textContent.trim();
    mark.setAttribute('x', at * width);
    if (!mark.isConnected) svg.prepend(mark);
  };
  const hide = () => {
    mark.remove();
    said.textContent = '';
  };
  const pointed = (event) => {
    const box = svg.getBoundingClientRect();
    show(Math.floor((event.clientX - box.left) / box.width * days.length));
  };

  mark.setAttribute('class', 'fig-now');
  mark.setAttribute('width', width);
  mark.setAttribute('height', 100);
  for (const title of svg.querySelectorAll('title')) title.remove();
  svg.tabIndex = 0;
  svg.addEventListener('pointermove', pointed);
  svg.addEventListener('pointerdown', pointed);
  svg.addEventListener('pointerleave', (event) => { if (event.pointerType === 'mouse') hide(); });
  svg.addEventListener('focus', () => { if (svg.matches(':focus-visible')) show(at); });
  svg.addEventListener('blur', hide);
  svg.addEventListener('keydown', (event) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: days.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(to);
  });
});
