import type en from '../en/ui.ts'
import type { Translation } from '../translation.ts'

export default {
  justNow: 'gerade eben',
  loading: 'Wird geladen',
  requestId: 'Anfrage-ID: {id}',
  retry: 'Erneut versuchen',
  showMore: 'Mehr anzeigen',
} satisfies Translation<typeof en>
