import { expect, test } from 'vitest'
import { type Language, languageOf } from './languages.ts'

/** The first article of the Universal Declaration of Human Rights, by language. */
const ARTICLES: Record<string, [Language, string]> = {
  English: [
    'english',
    'All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.',
  ],
  German: [
    'german',
    'Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen.',
  ],
  French: [
    'french',
    'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.',
  ],
  Spanish: [
    'spanish',
    'Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.',
  ],
  Portuguese: [
    'portuguese',
    'Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.',
  ],
  Italian: [
    'italian',
    'Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.',
  ],
  Dutch: [
    'dutch',
    'Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.',
  ],
  Danish: [
    'danish',
    'Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd. Det skal også gælde efter krigen.',
  ],
  Norwegian: [
    'norwegian',
    'Alle mennesker er født frie og med samme menneskeverd og menneskerettigheter. De er utstyrt med fornuft og samvittighet og bør handle mot hverandre i brorskapets ånd. Dette gjelder også etter krigen, for noen av oss.',
  ],
  Swedish: [
    'swedish',
    'Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.',
  ],
  Finnish: [
    'finnish',
    'Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.',
  ],
  Hungarian: [
    'hungarian',
    'Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek.',
  ],
  Romanian: [
    'romanian',
    'Toate ființele umane se nasc libere și egale în demnitate și în drepturi. Ele sunt înzestrate cu rațiune și conștiință și trebuie să se comporte unele față de altele în spiritul fraternității.',
  ],
  Turkish: [
    'turkish',
    'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.',
  ],
  Indonesian: [
    'indonesian',
    'Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama. Mereka dikaruniai akal dan hati nurani dan hendaknya bergaul satu sama lain dalam semangat persaudaraan.',
  ],
  Catalan: [
    'catalan',
    'Tots els éssers humans neixen lliures i iguals en dignitat i en drets. Són dotats de raó i de consciència, i han de comportar-se fraternalment els uns amb els altres.',
  ],
  Lithuanian: [
    'lithuanian',
    'Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė ir jie turi elgtis vienas kito atžvilgiu kaip broliai.',
  ],
  Russian: [
    'russian',
    'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.',
  ],
  Serbian: [
    'serbian',
    'Сва људска бића рађају се слободна и једнака у достојанству и правима. Она су обдарена разумом и свешћу и треба једни према другима да поступају у духу братства.',
  ],
  Croatian: [
    'serbian',
    'Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima. Ona su obdarena razumom i sviješću i trebaju jedna prema drugima postupati u duhu bratstva.',
  ],
  Greek: ['greek', 'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.'],
  Arabic: [
    'arabic',
    'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء.',
  ],
  Hindi: ['hindi', 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।'],
  Tamil: ['tamil', 'மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்'],
  Armenian: ['armenian', 'Բոլոր մարդիկ ծնվում են ազատ ու հավասար իրենց արժանապատվությամբ ու իրավունքներով։'],
  Yiddish: [
    'yiddish',
    'יעדער מענטש ווערט געבוירן פֿרײַ און גלײַך אין כבוד און רעכט. יעדער איז באַשאָנקן מיט פֿאַרשטאַנד און געוויסן',
  ],
  // The following languages have no PostgreSQL stemmer.
  Ukrainian: [
    'simple',
    'Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства.',
  ],
  Bulgarian: [
    'simple',
    'Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум и съвест и следва да се отнасят помежду си в дух на братство.',
  ],
  Polish: [
    'simple',
    'Wszyscy ludzie rodzą się wolni i równi w swojej godności i prawach. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.',
  ],
  Czech: [
    'simple',
    'Všichni lidé se rodí svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství.',
  ],
  Vietnamese: [
    'simple',
    'Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi. Mọi con người đều được tạo hoá ban cho lý trí và lương tâm.',
  ],
  Persian: [
    'simple',
    'تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند. همه دارای عقل و وجدان هستند.',
  ],
  Hebrew: [
    'simple',
    'כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחווה.',
  ],
  Chinese: ['simple', '人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。'],
  Korean: ['simple', '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.'],
}

test.each(Object.entries(ARTICLES))('%s is recognized', (_name, [language, text]) => {
  expect(languageOf(text)).toBe(language)
  expect(languageOf(text.toUpperCase())).toBe(language)
  expect(languageOf(`${text} ${'42, 17.5 '.repeat(200)}`)).toBe(language)
})

test('a short text gets the likely language', () => {
  expect(languageOf('Quarterly invoices')).toBe('english')
  expect(languageOf('const total = rows.length')).toBe('english')
  expect(languageOf('Straßenverzeichnis')).toBe('simple')
  expect(languageOf('Договор аренды')).toBe('russian')
  expect(languageOf('Угода оренди приміщення')).toBe('simple')
  expect(languageOf('فاتورة جديدة')).toBe('arabic')
  expect(languageOf('1,2,3')).toBe('simple')
  expect(languageOf('')).toBe('simple')
})

test('the language of most words wins', () => {
  const [, german] = ARTICLES['German'] as [Language, string]
  const [, english] = ARTICLES['English'] as [Language, string]
  expect(languageOf(`${german} ${german} ${english}`)).toBe('german')
  expect(languageOf('Функция parse_query возвращает список слов')).toBe('russian')
})
