// Posts the code in the address, and takes it out of the history.
const code = location.hash.slice(1);
if (/^slc_\w+$/.test(code)) {
  history.replaceState(null, '', location.pathname);
  const form = document.getElementById('connect');
  form.elements.code.value = code;
  form.submit();
}
