import { computed } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { tokenWanted } from '../api/call.ts';
import { page } from '../page.ts';
import { linkTo, route } from '../router.ts';
import { ROOMS } from '../rooms/index.ts';
import type { Room } from '../rooms/room.ts';
import { words } from '../words/index.ts';
import { Navigation } from './navigation.tsx';
import { TokenForm } from './token-form.tsx';

const here = computed<Room | undefined>(() => {
  const [first = ''] = route.value;
  return ROOMS.find(({ path }) => path === first);
});

/** The console: the navigation, and the room that the address names. */
export function App(): JSX.Element {
  const room = here.value;
  useEffect(() => {
    document.title = room === undefined ? page.title : `${room.name} · ${page.title}`;
  }, [room]);
  return (
    <>
      <Navigation rooms={ROOMS} here={room} />
      {tokenWanted.value === 'no' ? null : <TokenForm again={tokenWanted.value === 'again'} />}
      {room === undefined ? <Missing /> : <room.View rest={route.value.slice(1)} />}
    </>
  );
}

function Missing(): JSX.Element {
  const { missing } = words.frame;
  return (
    <>
      <h1>{missing.title}</h1>
      <p>
        <a href={linkTo()}>{missing.back}</a>
      </p>
    </>
  );
}
