import { ParleyError } from '@parley/client'
import type { BulkInvitations } from '@parley/client/schemas'
import { Check, CircleAlert } from 'lucide-react'
import { useSendsEmail } from '../../api/use-sends-email.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { errorText } from '../../ui/error-text.ts'
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
  const created = results.length - failed.length
  const sendsEmail = useSendsEmail()
  return (
    <Dialog
      open
      onClose={onClose}
      title={t(sendsEmail ? 'invited.title' : 'invited.titleUnsent', { count: created })}
      description={
        created > 0 ? t(sendsEmail ? 'invited.description' : 'invited.descriptionUnsent') : undefined
      }
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

const ResultLine = ({ result, result: { email, invitation } }: { result: Result }) => (
  <>
    <span className="flex min-w-0 items-center gap-2 text-sm font-medium">
      {invitation ? (
        <Check aria-label={t('invited.created')} size={16} className="shrink-0 text-success" />
      ) : (
        <CircleAlert aria-label={t('invited.failed')} size={16} className="shrink-0 text-danger" />
      )}
      <span className="min-w-0 break-all">{email}</span>
    </span>
    {result.status === 'error' && <span className="text-sm text-danger">{reasonOf(result)}</span>}
    {invitation?.message_left_out && (
      <span className="text-sm text-muted">{t('invited.messageLeftOut')}</span>
    )}
    {invitation?.token && <LinkLine token={invitation.token} email={email} />}
  </>
)

function reasonOf({ detail = '', code = 'unknown', values = {} }: Result): string {
  // The dialog has a tab for adding existing users.
  if (code === 'user.exists') return t('invited.useSearch')
  return errorText(new ParleyError(detail, { status: 0, code, body: { values } }))
}
