import '@miftah/client/element';
import { useMiftahAttempt } from '@miftah/client/vue';
import { createApp, h } from 'vue';

const place = document.querySelector('#app');

/** In a template: `<miftah-wait v-bind="wait" />`, with `isCustomElement` of the compiler. */
const Waiting = {
  setup() {
    const { wait, end, cancel } = useMiftahAttempt({ ...place.dataset });
    return () =>
      h('main', [
        h('h1', 'Answer on your phone'),
        h('miftah-wait', wait.value),
        end.value === null && h('button', { onClick: cancel }, 'Cancel'),
      ]);
  },
};

createApp(Waiting).mount(place);
