import '@miftah/client/element';
import { useMiftahAttempt } from '@miftah/client/react';
import { createRoot } from 'react-dom/client';

function Waiting({ attempt }) {
  const { wait, end, cancel } = useMiftahAttempt(attempt);
  return (
    <main>
      <h1>Answer on your phone</h1>
      <miftah-wait {...wait} />
      {end === null && <button onClick={cancel}>Cancel</button>}
    </main>
  );
}

const place = document.querySelector('#app');
createRoot(place).render(<Waiting attempt={{ ...place.dataset }} />);
