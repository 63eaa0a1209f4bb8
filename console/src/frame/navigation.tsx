import type { JSX } from 'preact';
import { linkTo } from '../router.ts';
import type { Room } from '../rooms/room.ts';
import { testIds } from '../test-ids.ts';
import { words } from '../words/index.ts';

type Properties = { readonly rooms: readonly Room[]; readonly here: string | undefined };

export function Navigation({ rooms, here }: Properties): JSX.Element {
  return (
    <nav class="rooms" aria-label={words.frame.rooms.label}>
      {rooms.map((room) => (
        <a
          key={room.path}
          href={linkTo(room.path)}
          aria-current={room.path === here ? 'page' : undefined}
          data-testid={testIds.room(room.path)}
        >
          {room.name}
        </a>
      ))}
    </nav>
  );
}
