import type { BulkInvitations } from '@parley/client/schemas'
import { Check, CircleAlert } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LinkLine } from './invitation-link.tsx'

type Result = BulkInvitations['data'][number]

interface InviteResultsProps {
  results: Result[]
  onClose: () => void
  /** To the form, with those that failed. */
  onBack: (failed: string[]) => void
}

export function InviteResults({ results, onClose, onBack }: InviteResultsProps) {
  const failed = results.filter(({ status }) => status === 'error')
  const sent = results.length - failed.length
  return (
    <Dialog
      open
      onClose={onClose}
      title={sent === 0 ? 'Nobody was invited' : `${sent} invited`}
      description={
        sent > 0
          ? 'Each has been mailed a link that is good for seven days. Where mail does not arrive, hand the link over yourself: it is shown this once.'
          : undefined
      }
      actions={
        <>
          {failed.length > 0 && (
            <Button onClick={() => onBack(failed.map(({ email }) => email))}>Change what failed</Button>
          )}
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <ul aria-label="Invitations" className="flex flex-col gap-3">
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
        <Check aria-label="Invited" size={16} className="shrink-0 text-success" />
      ) : (
        <CircleAlert aria-label="Failed" size={16} className="shrink-0 text-danger" />
      )}
      <span className="min-w-0 break-all">{email}</span>
    </span>
    {detail && <span className="text-sm text-danger">{reasonOf(detail)}</span>}
    {invitation?.token && <LinkLine token={invitation.token} what={`the link for ${email}`} />}
  </>
)

/** The API tells of the operation that would do; here there is the other way of the dialog. */
const reasonOf = (detail: string): string =>
  detail.includes('/api/org/add_member')
    ? 'This person has an account here already: go back and add them by user ID.'
    : detail
