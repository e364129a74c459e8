import type { Translation } from '@parley/messages'
import type en from '../en/samples.ts'

export default {
  agent: {
    name: 'Beispiel: Ladenassistent',
    description: 'Beantwortet Fragen von Kunden einer Buchhandlung mit ihrem Handbuch.',
    instructions:
      'Du bist der Assistent der Buchhandlung Lantern Books. Antworte Kunden kurz und freundlich, und nur mit Angaben aus dem Handbuch. Wenn das Handbuch keine Antwort enthält, sage das, und nenne die Telefonnummer 555 0142.',
  },
  knowledge: {
    name: 'Beispiel: Handbuch eines Ladens',
    description: 'Das Handbuch einer kleinen Buchhandlung, um Suche und Zitate auszuprobieren.',
    hours: {
      name: 'Öffnungszeiten',
      content:
        '# Öffnungszeiten\n\nLantern Books ist montags bis freitags von 9:00 bis 18:30 Uhr und samstags von 10:00 bis 16:00 Uhr geöffnet. Sonntags und an Feiertagen ist der Laden geschlossen.\n\n## Lesungen\n\nAm ersten Donnerstag jedes Monats bleibt der Laden für eine Lesung bis 21:00 Uhr geöffnet. Der Eintritt ist frei. Plätze können unter der Telefonnummer 555 0142 reserviert werden.',
    },
    returns: {
      name: 'Rückgabe',
      content:
        '# Rückgabe\n\nKunden können ungelesene Bücher innerhalb von 30 Tagen mit dem Kassenbon zurückgeben und erhalten ihr Geld zurück. Signierte Exemplare können umgetauscht, aber nicht erstattet werden.\n\n## Beschädigte Bücher\n\nBeschädigte Bücher ersetzt der Laden jederzeit, auch ohne Kassenbon.',
    },
    delivery: {
      name: 'Lieferung',
      content:
        '# Lieferung\n\nBestellungen über 40 Euro werden kostenlos geliefert. Darunter kostet die Lieferung 3,90 Euro. Ein Paket braucht im Inland zwei Werktage, im Ausland fünf.\n\n## Abholung\n\nBücher, die vor 17:00 Uhr bestellt werden, liegen am nächsten Werktag zur Abholung bereit.',
    },
  },
} satisfies Translation<typeof en>
