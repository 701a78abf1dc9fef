// Turns radio buttons that show one of several parts into tabs, for visitors with a keyboard or a screen reader.
// Nothing moves.
for (const set of document.querySelectorAll('[data-tabs]')) {
  const radios = [...set.querySelectorAll(':scope > input')];
  const tabs = radios.map((r) => {
    const label = set.querySelector(`label[for="${r.id}"]`); // which may not be a tab itself
    const tab = Object.assign(document.createElement('span'), { textContent: label.textContent });
    label.replaceWith(tab);
    return tab;
  });
  const parts = radios.map((r) => document.getElementById(r.id.replace('way-', 'by-')));
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', set.querySelector('legend').textContent);
  tabs[0].before(list);
  const choose = (i, focus) => {
    radios[i].checked = true;
    tabs.forEach((t, n) => {
      t.setAttribute('aria-selected', n === i);
      t.tabIndex = n === i ? 0 : -1;
    });
    if (focus) tabs[i].focus();
  };
  tabs.forEach((tab, i) => {
    list.append(tab);
    tab.id = `tab-${radios[i].id}`;
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', parts[i].id);
    parts[i].setAttribute('role', 'tabpanel');
    parts[i].setAttribute('aria-labelledby', tab.id);
    radios[i].hidden = true; // it has no label now, and still selects the visible part
    tab.addEventListener('click', () => choose(i));
    tab.addEventListener('keydown', (e) => {
      const back = getComputedStyle(set).direction === 'rtl';
      const to = { ArrowRight: back ? i - 1 : i + 1, ArrowLeft: back ? i + 1 : i - 1, Home: 0, End: tabs.length - 1, Enter: i, ' ': i }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      choose((to + tabs.length) % tabs.length, true);
    });
  });
  set.setAttribute('role', 'presentation');
  choose(Math.max(0, radios.findIndex((r) => r.checked)));
}
