// Posts the code of the address, and takes it out of the address and the history. Without this module people paste it.
const code = location.hash.slice(1);
if (/^slc_[0-9A-Za-z]+$/.test(code)) {
  history.replaceState(null, '', location.pathname);
  const form = document.getElementById('connect');
  form.elements.code.value = code;
  form.submit();
}
