import type { BulkInvitations } from '@parley/client/schemas'
import { Check, CircleAlert } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LinkLine } from './invitation-link.tsx'

const t = translator('people')

type Result = BulkInvitations['data'][number]

interface InviteResultsProps {
  results: Result[]
  onClose: () => void
  /** Opens the form again with the addresses that failed. */
  onBack: (failed: string[]) => void
}

export function InviteResults({ results, onClose, onBack }: InviteResultsProps) {
  const failed = results.filter(({ status }) => status === 'error')
  const sent = results.length - failed.length
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('invited.title', { count: sent })}
      description={sent > 0 ? t('invited.description') : undefined}
      actions={
        <>
          {failed.length > 0 && (
            <Button onClick={() => onBack(failed.map(({ email }) => email))}>{t('invited.fix')}</Button>
          )}
          <Button kind="primary" onClick={onClose}>
            {t('invited.done')}
          </Button>
        </>
      }
    >
      <ul aria-label={t('invited.list')} className="flex flex-col gap-3">
        {[...failed, ...results.filter(({ status }) => status === 'created')].map((result) => (
          <li key={result.email} className="flex min-w-0 flex-col gap-1.5">
            <ResultLine result={result} />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

const ResultLine = ({ result: { email, invitation, detail } }: { result: Result }) => (
  <>
    <span className="flex min-w-0 items-center gap-2 text-sm font-medium">
      {invitation ? (
        <Check aria-label={t('invited.sent')} size={16} className="shrink-0 text-success" />
      ) : (
        <CircleAlert aria-label={t('invited.failed')} size={16} className="shrink-0 text-danger" />
      )}
      <span className="min-w-0 break-all">{email}</span>
    </span>
    {detail && <span className="text-sm text-danger">{reasonOf(detail)}</span>}
    {invitation?.token && <LinkLine token={invitation.token} email={email} />}
  </>
)

/**
 * Returns why an address failed. The API's text names the operation that adds an existing user. The dialog has a tab
 * for that operation, so the text names the tab instead.
 */
const reasonOf = (detail: string): string =>
  detail.includes('/api/org/add_member') ? t('invited.useId') : detail
