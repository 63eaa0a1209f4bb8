import { computed } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { attempts } from '../state/attempts.ts';
import { tokenWanted } from '../api/call.ts';
import { page } from '../page.ts';
import { Title } from '../parts/title.tsx';
import { linkTo, route } from '../router.ts';
import { INNER_ROOMS, ROOMS } from '../rooms/index.ts';
import type { Room } from '../rooms/room.ts';
import { words } from '../words/index.ts';
import { DropZone } from '../imports/drop-zone.tsx';
import { Connection } from './connection.tsx';
import { Navigation } from './navigation.tsx';
import { TokenForm } from './token-form.tsx';

/** `of`: the room of the navigation that an inner room is part of. */
const here = computed<(Room & { readonly of?: string }) | undefined>(() => {
  const [first = ''] = route.value;
  return [...ROOMS, ...INNER_ROOMS].find(({ path }) => path === first);
});

/** The console: the navigation, and the room that the address names. */
export function App(): JSX.Element {
  const room = here.value;
  useEffect(() => {
    document.title = room === undefined ? page.title : `${room.name} · ${page.title}`;
  }, [room]);
  return (
    <>
      <div class="bar">
        <Navigation rooms={ROOMS} here={room?.of ?? room?.path} />
        <Connection state={attempts.connection.value} />
      </div>
      <DropZone />
      {tokenWanted.value === 'no' ? null : <TokenForm again={tokenWanted.value === 'again'} />}
      {room === undefined ? <Missing /> : <room.View rest={route.value.slice(1)} />}
    </>
  );
}

function Missing(): JSX.Element {
  const { missing } = words.frame;
  return (
    <>
      <Title>{missing.title}</Title>
      <p>
        <a href={linkTo()}>{missing.back}</a>
      </p>
    </>
  );
}
