// When the sign-in has ended, lets the back end finish it. What the page was told is for showing: who
// has signed in, the answer of this form says. The page loads this before the element, which can be
// told of the end as soon as it is there.

document.querySelector('miftah-wait')?.addEventListener('miftah-end', () => {
  document.querySelector('form')?.submit();
});
