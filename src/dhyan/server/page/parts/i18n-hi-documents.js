// What is said of documents that cannot be translated, in Hindi. The names in braces are those of i18n-hi-server.js.

export const DOCUMENTS_IN_HINDI = {
  "a file of this kind ({suffix}) cannot be translated; send another one.":
    "इस तरह की फ़ाइल ({suffix}) का अनुवाद नहीं हो सकता; कोई दूसरी दें।",
  "no suffix": "बिना प्रत्यय",

  // all that are packed: Office, OpenDocument, EPUB
  "{file} is protected by a password, or in the format of an older Office; open it, and save it without a password as {suffix}.":
    "{file} पर पासवर्ड लगा है, या वह पुराने Office के प्रारूप में है; उसे खोलें, और बिना पासवर्ड के {suffix} के रूप में सहेजें।",
  "{file} is protected by a password; save it without one first.":
    "{file} पर पासवर्ड लगा है; पहले उसे बिना पासवर्ड के सहेजें।",
  "{file} has too many parts, or several of one name, so it is not translated.":
    "{file} में बहुत ज़्यादा हिस्से हैं, या एक ही नाम के कई, इसलिए उसका अनुवाद नहीं होता।",
  "{file} has a part named {part}, which leads outside the file: it is not translated.":
    "{file} का एक हिस्सा {part} फ़ाइल के बाहर ले जाता है: उसका अनुवाद नहीं होता।",
  "{file} would grow from {packed} MB to {unpacked} MB when unpacked, as no document does; it is not translated.":
    "खोलने पर {file} {packed} MB से बढ़कर {unpacked} MB हो जाएगी, जो किसी दस्तावेज़ में नहीं होता; उसका अनुवाद नहीं होता।",
  "{part} in {file} is larger than a list of parts can be.":
    "{file} में {part} इतना बड़ा है, जितनी हिस्सों की सूची नहीं हो सकती।",
  "{file} is not a {suffix} document, or a damaged one (it is not a zip file); check it in the program that it was made with.":
    "{file} कोई {suffix} दस्तावेज़ नहीं है, या ख़राब है (यह zip फ़ाइल नहीं है); उसे उस प्रोग्राम में जाँचें जिसमें वह बनी थी।",
  "{file} is a damaged zip file ({what}); open it in the program that it was made with and save it again.":
    "{file} ख़राब zip फ़ाइल है ({what}); उसे उस प्रोग्राम में खोलें जिसमें वह बनी थी, और फिर से सहेजें।",
  "{file} is a zip file, but no Office document; check what it is.":
    "{file} zip फ़ाइल है, पर Office का दस्तावेज़ नहीं; देखें कि यह क्या है।",
  "{file} is a zip file, but no OpenDocument file; check what it is.":
    "{file} zip फ़ाइल है, पर OpenDocument की नहीं; देखें कि यह क्या है।",
  "{file} is a zip file, but no EPUB; check what it is.": "{file} zip फ़ाइल है, पर EPUB नहीं; देखें कि यह क्या है।",
  "{file} is protected against copying (DRM), so its text cannot be read.":
    "{file} पर नक़ल से बचाव (DRM) लगा है, इसलिए उसका पाठ पढ़ा नहीं जा सकता।",
  "{file} has no part {part}, which should list its chapters; check the file.":
    "{file} में हिस्सा {part} नहीं है, जिसमें अध्यायों की सूची होनी चाहिए; फ़ाइल जाँचें।",
  "{part} is damaged XML ({what}, line {line}); open the document in the program that it was made with and save it again.":
    "{part} ख़राब XML है ({what}, पंक्ति {line}); दस्तावेज़ को उस प्रोग्राम में खोलें जिसमें वह बना था, और फिर से सहेजें।",
  "{part} is XML in an encoding that is not known; save the document again.":
    "{part} ऐसे कूट (encoding) का XML है जो जाना हुआ नहीं है; दस्तावेज़ फिर से सहेजें।",
  "{part} {what}, which no office program writes; it is not translated.":
    "{part}: {what}; ऐसा कोई ऑफ़िस प्रोग्राम नहीं लिखता, इसलिए अनुवाद नहीं होता।",

  // PDF
  "{file} has no text, only pictures of it; run a text recognition (OCR) over it first, for instance with ocrmypdf.":
    "{file} में पाठ नहीं, केवल उसके चित्र हैं; पहले उस पर अक्षर-पहचान (OCR) चलाएँ, जैसे ocrmypdf से।",
  "{file} has more than {most} pages; split it first.": "{file} में {most} से ज़्यादा पन्ने हैं; पहले उसे बाँटें।",
  "{file} is not a PDF, or a damaged one ({what}); print it to a new PDF first.":
    "{file} PDF नहीं है, या ख़राब है ({what}); पहले उसे नई PDF में प्रिंट करें।",

  // texts and data
  "{file}, line {line} is longer than {size} MiB; break it into lines of text.":
    "{file}, पंक्ति {line} {size} MiB से लंबी है; उसे पाठ की पंक्तियों में बाँटें।",
  "{file}, line {line}: a zero byte stands there, so this is not text; name a text file in UTF-8.":
    "{file}, पंक्ति {line}: वहाँ शून्य बाइट है, यानी यह पाठ नहीं है; UTF-8 की पाठ-फ़ाइल दें।",
  "{file}, line {line}: the file is in UTF-16; convert it to UTF-8, for instance with iconv.":
    "{file}, पंक्ति {line}: फ़ाइल UTF-16 में है; उसे UTF-8 में बदलें, जैसे iconv से।",
  "{file}, line {line}: byte 0x{byte} is not UTF-8 text; convert the file to UTF-8, for instance with iconv.":
    "{file}, पंक्ति {line}: बाइट 0x{byte} UTF-8 का पाठ नहीं है; फ़ाइल को UTF-8 में बदलें, जैसे iconv से।",
  "{file}, line {line} is not valid JSON: {what}.": "{file}, पंक्ति {line} सही JSON नहीं है: {what}।",
  "{file} is not valid JSON: {what}.": "{file} सही JSON नहीं है: {what}।",
};
