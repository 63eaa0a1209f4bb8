import { storeConformance } from '../conformance/store.ts';
import { openMemory, openSqlite } from './open-stores.ts';

storeConformance('memory', { open: openMemory, openModel: openMemory, lasts: false });
storeConformance('SQLite', { open: () => openSqlite(), openModel: openMemory, lasts: true });
