import type { Timer } from '../ports/runtime.ts';

export const systemTimer: Timer = {
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
