// Formats a number of bytes in the language of the page, in units of 1,024 as the server does, with the capital K of
// such units.
const { lang } = document.documentElement;

export const size = (bytes) => {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  let i = 0;
  for (; bytes >= 1000 && i < units.length - 1; i++) bytes /= 1024;
  return new Intl.NumberFormat(lang, { style: 'unit', unit: units[i], unitDisplay: i ? 'short' : 'long', maximumFractionDigits: bytes < 100 ? 1 : 0 }).format(bytes).replace(/k(?=[Bo]$)/, 'K');
};
