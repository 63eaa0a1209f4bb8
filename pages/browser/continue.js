// Submits the only form of the page. Without scripts its button does the same.

document.forms[0]?.requestSubmit();
