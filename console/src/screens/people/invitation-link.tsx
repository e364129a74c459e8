import { useSendsEmail } from '../../api/use-sends-email.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'

const t = translator('people')

export const invitationLink = (token: string): string =>
  `${location.origin}/invite?token=${encodeURIComponent(token)}`

interface InvitationLinkProps {
  email: string
  token: string
  onClose: () => void
}

/** Shows an invitation's new link, for the case that no email arrives. */
export function InvitationLink({ email, token, onClose }: InvitationLinkProps) {
  const sendsEmail = useSendsEmail()
  return (
    <Dialog
      open
      onClose={onClose}
      title={t(sendsEmail ? 'link.title' : 'link.titleUnsent')}
      description={t(sendsEmail ? 'link.description' : 'link.descriptionUnsent', { email })}
      actions={
        <Button kind="primary" onClick={onClose}>
          {t('link.done')}
        </Button>
      }
    >
      {sendsEmail && <p className="text-sm">{t('link.note')}</p>}
      <LinkLine token={token} email={email} />
    </Dialog>
  )
}

export const LinkLine = ({ token, email }: { token: string; email: string }) => (
  <div className="flex items-center gap-2 rounded-lg border border-line bg-surface py-1 pr-1 pl-3">
    <code className="min-w-0 grow truncate font-mono text-xs">{invitationLink(token)}</code>
    <CopyButton text={invitationLink(token)} what={t('link.copy', { email })} />
  </div>
)
