document.title = "Cleave";
