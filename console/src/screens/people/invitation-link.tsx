import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'

export const invitationLink = (token: string): string =>
  `${location.origin}/invite?token=${encodeURIComponent(token)}`

interface InvitationLinkProps {
  email: string
  token: string
  onClose: () => void
}

/** The link of an invitation: mail may not arrive, or there may be none. */
export const InvitationLink = ({ email, token, onClose }: InvitationLinkProps) => (
  <Dialog
    open
    onClose={onClose}
    title="A new link is on its way"
    description={`It was mailed to ${email}, and is good for seven days. Links that were sent before stop working.`}
    actions={
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    }
  >
    <p className="text-sm">
      Where mail does not arrive, hand this link over yourself. It is shown this once.
    </p>
    <LinkLine token={token} what={`the link for ${email}`} />
  </Dialog>
)

export const LinkLine = ({ token, what }: { token: string; what: string }) => (
  <div className="flex items-center gap-2 rounded-lg border border-line bg-surface py-1 pr-1 pl-3">
    <code className="min-w-0 grow truncate font-mono text-xs">{invitationLink(token)}</code>
    <CopyButton text={invitationLink(token)} what={`Copy ${what}`} />
  </div>
)
