#!/usr/bin/env bash
# Generates the sample files of tests/fixtures with LibreOffice, groff and Ghostscript, ffmpeg, ImageMagick and qpdf.
# The generated files are committed, so the tests need none of these programs.
#
#   apt-get install --no-install-recommends libreoffice-writer-nogui libreoffice-calc-nogui ffmpeg ghostscript groff \
#     imagemagick qpdf zip python3
#   scripts/make-fixtures.sh
#
# The words of book.txt and book.pdf are a fixed sequence, so every run generates the same files.
set -euo pipefail

readonly pages=43
readonly lines_per_page=40
folder=$(cd "$(dirname "$0")/.." && pwd)/tests/fixtures
workspace=$(mktemp -d)
trap 'rm -rf "$workspace"' EXIT
export SOURCE_DATE_EPOCH=1700000000 LC_ALL=C.UTF-8

main() {
  mkdir -p "$folder"
  cd "$workspace"
  make_book
  make_office_files
  make_pictures
  make_sounds_and_films
  make_texts
  make_hostile_files
  du -ch "$folder"/* | tail -1
}

# Pages and lines of the PDF match those of book.txt, whose pages are separated by form feeds.
make_book() {
  awk -v pages=$pages -v lines=$lines_per_page '
    function next_number(bound) { seed = (seed * 16807) % 2147483647; return seed % bound }
    BEGIN {
      seed = 42
      count = split("the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so said what up its about into than them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many before must through back years where much your way well down should because each just those people how too little state good very make world still own see men work long get here between both life being under never day same another know while last might us great old year off come since against go came right used take three", words, " ")
      for (page = 1; page <= pages; page++) {
        if (page > 1) printf "\f"
        print "Chapter " page
        for (line = 1; line <= lines; line++) {
          text = ""
          while (length(text) < 62) {
            word = words[1 + next_number(length(words))]
            if (next_number(9) == 0) word = word next_number(1000)
            text = text (text == "" ? "" : " ") word
          }
          print text (next_number(3) == 0 ? "." : ",")
        }
      }
    }' >"$folder/book.txt"
  { printf '.nh\n.na\n.nf\n.pl 11i\n'; sed 's/\f/.bp\n/' "$folder/book.txt"; } >book.roff
  groff -Tps -P-pletter book.roff >book.ps
  ps2pdf -dCompatibilityLevel=1.6 book.ps "$folder/book.pdf"
}

make_office_files() {
  cat >report.html <<'END'
<html><body>
<h1>Annual report</h1><p>Revenue grew in <b>every</b> region: Zürich, São Paulo, 東京.</p>
<h2>Figures</h2>
<table border="1"><tr><th>Region</th><th>Revenue</th></tr><tr><td>North</td><td>1200</td></tr><tr><td>South</td><td>3400</td></tr></table>
<h2>Next steps</h2>
<ul><li>Hire two engineers</li><li>Open an office</li></ul>
<ol><li>Plan</li><li>Build</li></ol>
<p>More at <a href="https://example.com/report">our pages</a>.</p>
</body></html>
END
  cat >figures.fods <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:automatic-styles>
<number:date-style style:name="N1"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style>
<style:style style:name="date" style:family="table-cell" style:data-style-name="N1"/>
</office:automatic-styles>
<office:body><office:spreadsheet>
<table:table table:name="Staff">
<table:table-row><table:table-cell office:value-type="string"><text:p>Name</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Born</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Active</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Note</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><text:p>Ada Lovelace</text:p></table:table-cell><table:table-cell table:style-name="date" office:value-type="date" office:date-value="1815-12-10"/><table:table-cell office:value-type="boolean" office:boolean-value="true"/><table:table-cell office:value-type="string"><text:p>says "hello", twice</text:p></table:table-cell></table:table-row>
</table:table>
<table:table table:name="Sums">
<table:table-row><table:table-cell office:value-type="float" office:value="1.5"/><table:table-cell table:number-columns-repeated="2"/><table:table-cell office:value-type="float" office:value="2"/></table:table-row>
<table:table-row><table:table-cell table:formula="of:=[.A1]+[.D1]" office:value-type="float" office:value="3.5"/><table:table-cell table:formula="of:=1/0" office:value-type="float" office:value="0"/></table:table-row>
</table:table>
</office:spreadsheet></office:body></office:document>
END
  office --convert-to odt:writer8 --infilter='HTML (StarWriter)' report.html
  office --convert-to docx report.odt
  office --convert-to pdf report.odt
  office --convert-to xlsx figures.fods
  cp report.docx report.pdf "$folder/"
  cp figures.xlsx "$folder/"
}

office() { soffice -env:UserInstallation="file://$workspace/profile" --headless "$@" >/dev/null 2>&1; }

# LibreOffice encrypts only on a desktop. So the container of an encrypted document is built by hand: a compound file
# (MS-CFB 2) with the streams of MS-OFFCRYPTO 2.3.4, filled with arbitrary bytes.
make_encrypted() {
  python3 - "$1" <<'END'
import struct, sys
END_OF_CHAIN, FAT, FREE, NONE = 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF, 0xFFFFFFFF
def entry(name, kind, left=NONE, right=NONE, child=NONE, start=0, size=0):
    text = name.encode("utf-16le") + b"\0\0"
    return struct.pack("<64sHBB3I16sI8s8sIQ", text, len(text), kind, 1, left, right, child, b"", 0, b"", b"", start, size)
noise = bytes((index * 97 + 13) % 251 for index in range(4096))
fat = struct.pack("<128I", FAT, END_OF_CHAIN, *range(3, 10), END_OF_CHAIN, *range(11, 18), END_OF_CHAIN, *[FREE] * 110)
directory = (entry("Root Entry", 5, child=1, start=END_OF_CHAIN) + entry("EncryptedPackage", 2, right=2, start=2, size=4096)
             + entry("EncryptionInfo", 2, start=10, size=4096) + bytes(128))
header = struct.pack("<8s16s5H6s9I", bytes.fromhex("d0cf11e0a1b11ae1"), b"", 0x3E, 3, 0xFFFE, 9, 6, b"",
                     0, 1, 1, 0, 4096, END_OF_CHAIN, 0, END_OF_CHAIN, 0) + struct.pack("<109I", 0, *[FREE] * 108)
open(sys.argv[1], "wb").write(header + fat + directory + noise + noise)
END
}

make_pictures() {
  convert -size 32x24 gradient:red-blue -strip "$folder/picture.png"
  convert "$folder/picture.png" -strip "$folder/picture.jpg"
  convert "$folder/picture.png" -strip "$folder/picture.gif"
  ffmpeg_quietly -i "$folder/picture.png" "$folder/picture.webp"
  cat >"$folder/picture.svg" <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<!-- <html> is not the root -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" width="32" height="24"><title>Red</title><rect width="32" height="24" fill="red"/></svg>
END
}

make_sounds_and_films() {
  local sound=(-f lavfi -i "sine=frequency=440:duration=0.5:sample_rate=16000")
  local film=(-f lavfi -i "testsrc=size=64x48:rate=5:duration=1")
  local exact=(-map_metadata -1 -fflags +bitexact -flags:a +bitexact -flags:v +bitexact)
  for name in sound.mp3 sound.wav sound.flac sound.m4a; do
    ffmpeg_quietly "${sound[@]}" "${exact[@]}" "$folder/$name"
  done
  ffmpeg_quietly "${sound[@]}" -c:a libvorbis "${exact[@]}" "$folder/sound.ogg"
  ffmpeg_quietly "${sound[@]}" -c:a libopus "${exact[@]}" "$folder/speech.ogg"
  ffmpeg_quietly "${sound[@]}" -c:a libopus "${exact[@]}" "$folder/sound.webm"
  ffmpeg_quietly "${sound[@]}" -c:a aac -f mp4 -brand isom "${exact[@]}" "$folder/recording.m4a"
  ffmpeg_quietly "${film[@]}" "${sound[@]}" -c:v libx264 -pix_fmt yuv420p "${exact[@]}" "$folder/film.mp4"
  ffmpeg_quietly "${film[@]}" "${sound[@]}" -c:v libx264 -pix_fmt yuv420p "${exact[@]}" "$folder/film.mov"
  ffmpeg_quietly "${film[@]}" "${sound[@]}" -c:v libvpx -c:a libopus "${exact[@]}" "$folder/film.webm"
  ffmpeg_quietly "${film[@]}" "${sound[@]}" -c:v mpeg4 "${exact[@]}" "$folder/film.avi"
  ffmpeg_quietly "${film[@]}" "${exact[@]}" "$folder/film.mkv"
}

ffmpeg_quietly() { ffmpeg -nostdin -loglevel error -y "$@"; }

make_texts() {
  printf 'Grüße aus Zürich\r\nsecond line\r\n' >"$folder/note.txt"
  printf '# Title\n\n- one\n- two\n' >"$folder/note.md"
  printf 'name,amount\n"Lovelace, Ada",12\n' >"$folder/table.csv"
  { printf '\xff\xfe'; printf 'Grüße, 東京 😀\n' | iconv -t UTF-16LE; } >"$folder/utf16le.txt"
  { printf '\xfe\xff'; printf 'Grüße, 東京 😀\n' | iconv -t UTF-16BE; } >"$folder/utf16be.csv"
}

make_hostile_files() {
  head -c 60000 "$folder/book.pdf" >"$folder/truncated.pdf"
  head -c "$(($(stat -c %s "$folder/report.docx") / 2))" "$folder/report.docx" >"$folder/truncated.docx"
  qpdf --static-id --encrypt secret owner 256 -- "$folder/report.pdf" "$folder/encrypted.pdf"
  qpdf --static-id --encrypt '' owner 256 --print=none -- "$folder/report.pdf" "$folder/restricted.pdf"
  make_encrypted "$folder/encrypted.docx"
  cp "$folder/picture.png" "$folder/picture-called.pdf"
  zip -q -X "$folder/archive.zip" report.html
}

main
