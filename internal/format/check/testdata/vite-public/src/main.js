import './local.css';
import shell from './shell.png';
document.getElementById('app').innerHTML = '<img src=' + shell + '>';
