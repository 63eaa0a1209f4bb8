// Follows the sign-in of this session, and lets the back end finish it. The page knows nothing but
// how it goes: the answer of the form says who has signed in.

const events = new EventSource('/phone/events');
const finish = document.querySelector('form');

events.addEventListener('status', ({ data }) => {
  if (JSON.parse(data).status !== 'pending') end();
});
events.addEventListener('failure', end);

function end() {
  events.close();
  finish?.submit();
}
