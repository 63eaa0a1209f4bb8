import { storeConformance } from '../conformance/store.ts';
import { openMemory } from '../support/store/open-stores.ts';

const openErasing = () => openMemory({ erasesIdentifiers: true });

storeConformance('memory', {
  open: () => openMemory(),
  openModel: () => openMemory(),
  lasts: false,
  erasesIdentifiers: false,
});
storeConformance('memory that erases identifiers', {
  open: openErasing,
  openModel: openErasing,
  lasts: false,
  erasesIdentifiers: true,
});
