// When the sign-in has ended, lets the back end finish it. What the page was told is for showing: who
// has signed in, the answer of this form says.

document.querySelector('miftah-wait')?.addEventListener('miftah-end', () => {
  document.querySelector('form')?.submit();
});
