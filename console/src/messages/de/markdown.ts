import type { Translation } from '@parley/messages'
import type en from '../en/markdown.ts'

export default {
  citation: 'Quelle {number, number}: {name}',
  code: 'Code',
  codeIn: '{language}-Code',
  copied: 'Kopiert',
  copy: 'Kopieren',
  copyFailed: 'Kopieren fehlgeschlagen',
  image: 'Bild',
  table: 'Tabelle',
  taskDone: 'Erledigt',
  taskOpen: 'Offen',
} satisfies Translation<typeof en>
