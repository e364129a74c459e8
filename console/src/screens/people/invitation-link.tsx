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

/** Shows an invitation's new link, in case the email does not arrive. */
export const InvitationLink = ({ email, token, onClose }: InvitationLinkProps) => (
  <Dialog
    open
    onClose={onClose}
    title={t('link.title')}
    description={t('link.description', { email })}
    actions={
      <Button kind="primary" onClick={onClose}>
        {t('link.done')}
      </Button>
    }
  >
    <p className="text-sm">{t('link.note')}</p>
    <LinkLine token={token} email={email} />
  </Dialog>
)

export const LinkLine = ({ token, email }: { token: string; email: string }) => (
  <div className="flex items-center gap-2 rounded-lg border border-line bg-surface py-1 pr-1 pl-3">
    <code className="min-w-0 grow truncate font-mono text-xs">{invitationLink(token)}</code>
    <CopyButton text={invitationLink(token)} what={t('link.copy', { email })} />
  </div>
)
