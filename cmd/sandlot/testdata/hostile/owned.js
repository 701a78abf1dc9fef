document.documentElement.dataset.owned = 'yes';
