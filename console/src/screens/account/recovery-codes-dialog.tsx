import { Download } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** Shows new recovery codes once. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const text = `${codes.join('\n')}\n`
  const download = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    link.download = 'parley-recovery-codes.txt'
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Save your recovery codes"
      description="Each code signs you in once if you lose your other factors. They are not shown again."
      actions={
        <>
          <CopyButton text={text} label="Copy" />
          <Button size="small" icon={Download} onClick={download}>
            Download
          </Button>
          <Button size="small" kind="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <ul aria-label="Recovery codes" className="grid gap-2 font-mono text-sm sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </Dialog>
  )
}
