import type { Translation } from '@parley/messages'
import type en from '../en/picker.ts'

export default {
  first: '{count, plural, one {Erster Treffer} other {Die ersten # Treffer}}',
  results: '{count, plural, one {# Treffer} other {# Treffer}}',
  selection: 'Ausgewählt',
} satisfies Translation<typeof en>
