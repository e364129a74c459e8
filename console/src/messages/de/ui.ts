import type en from '../en/ui.ts'
import type { Translation } from '../translation.ts'

export default {
  copied: 'Kopiert',
  copy: 'Kopieren',
  copyItem: '{name} kopieren',
  secretOnce:
    'Kopieren Sie den Wert jetzt und bewahren Sie ihn sicher auf. Er wird nicht noch einmal angezeigt.',
  justNow: 'gerade eben',
  loading: 'Wird geladen',
  requestId: 'Anfrage-ID: {id}',
  retry: 'Erneut versuchen',
  showMore: 'Mehr anzeigen',
} satisfies Translation<typeof en>
