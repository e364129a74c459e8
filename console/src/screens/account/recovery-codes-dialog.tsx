import { Download } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'

const t = translator('account')

/** Shows new recovery codes. They are not shown again later. */
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
      title={t('codes.title')}
      description={t('codes.description')}
      actions={
        <>
          <CopyButton text={text} label={t('codes.copy')} />
          <Button size="small" icon={Download} onClick={download}>
            {t('codes.download')}
          </Button>
          <Button size="small" kind="primary" onClick={onClose}>
            {t('codes.done')}
          </Button>
        </>
      }
    >
      <ul aria-label={t('codes.list')} className="grid gap-2 font-mono text-sm sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </Dialog>
  )
}
